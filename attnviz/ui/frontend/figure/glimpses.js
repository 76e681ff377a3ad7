// The page of a figure of glimpses.

import mount from "../glimpse_player/glimpse_player.js";
import { show } from "./figure.js";

show(() => mount);
