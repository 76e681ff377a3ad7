// The page of a figure of gates: bars for one factor per channel, a map for one factor per position.

import mapGrid from "../map_grid/map_grid.js";
import valueBars from "../value_bars/value_bars.js";
import { show } from "./figure.js";

const MOUNTS = { value_bars: valueBars, map_grid: mapGrid };

show((number, about) => MOUNTS[about.kinds[number]]);
