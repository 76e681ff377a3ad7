// A page of gates: bars where there is a factor for each channel, a map where there is one for each place.

import mapGrid from "../map_grid/map_grid.js";
import valueBars from "../value_bars/value_bars.js";
import { show } from "./figure.js";

const MOUNTS = { value_bars: valueBars, map_grid: mapGrid };

show((number, about) => MOUNTS[about.kinds[number]]);
