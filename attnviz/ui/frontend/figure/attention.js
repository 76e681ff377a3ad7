// The page of an attention figure.

import mount from "../pixel_viewer/pixel_viewer.js";
import { show } from "./figure.js";

show(() => mount);
