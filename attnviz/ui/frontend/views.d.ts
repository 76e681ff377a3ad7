// The types of payloads, for `npm run types`. Written by `python -m attnviz.ui.components`.

interface LayerView {
  header: {
    carried_signed: boolean;
    rows: number;
    columns: number;
    prefix: number;
    classes: string[];
    label: string | null;
    origin: Record<string, string | number | number>;
    ink: boolean;
    logit: number | null;
    eps: number | null;
    boxes: number[] | null;
    unit: string;
    names: string[] | null;
  };
  arrays: {
    picture: Float64Array; // row, column
    query?: Float64Array | Float32Array; // head, token, size
    key?: Float64Array | Float32Array; // head, token, size
    value?: Float64Array | Float32Array; // head, token, number
    scores?: Float64Array | Float32Array; // head, query, key
    attending?: Int32Array; // query
    attended?: Int32Array; // query, key
    log_normaliser: Float64Array; // head, token
    carried: Float64Array; // head, token
    received: Float64Array; // head, token
    output?: Float64Array | Float32Array; // token, feature
    probabilities: Float64Array; // class
    background?: Uint8Array; // y, x, colour
    projection?: Float64Array; // feature, head, number
    readout?: Float64Array; // token, feature
    of_heads?: Float64Array; // head
    before?: Float64Array; // token, feature
    own?: Float64Array; // token, feature
    added?: Float64Array; // head, token, feature
    scale?: Float64Array; // feature
  };
}

interface AttentionView {
  header: {
    carried_signed: boolean;
    rows: number;
    columns: number;
    prefix: number;
    classes: string[];
    label: string | null;
    origin: Record<string, string | number | number>;
    ink: boolean;
    logit: number | null;
    eps: number | null;
    boxes: number[] | null;
    unit: string;
    names: string[] | null;
  };
  arrays: {
    picture: Float64Array; // row, column
    query?: Float64Array; // head, token, size
    key?: Float64Array; // head, token, size
    value?: Float64Array; // head, token, number
    scores?: Float64Array | Float32Array; // head, query, key
    attending?: Int32Array; // query
    attended?: Int32Array; // query, key
    log_normaliser: Float64Array; // head, token
    carried: Float64Array; // head, token
    received: Float64Array; // head, token
    output?: Float64Array; // token, feature
    probabilities: Float64Array; // class
    background?: Uint8Array; // y, x, colour
    projection?: Float64Array; // feature, head, number
    readout?: Float64Array; // token, feature
    of_heads?: Float64Array; // head
    before?: Float64Array; // token, feature
    own?: Float64Array; // token, feature
    added?: Float64Array; // head, token, feature
    scale?: Float64Array; // feature
  };
}

interface GlimpsePath {
  header: {};
  arrays: {
    location: Float32Array; // glimpse, pair
    location_mean: Float32Array; // glimpse, pair
    corner: Float32Array; // glimpse, scale, pair
    patches: Float32Array; // glimpse, scale, patch_row, patch_column
    belief: Float32Array; // glimpse, class
    baseline: Float32Array; // glimpse
  };
}

interface GlimpseView {
  header: {
    draw: number | null;
    policy: string;
    std: number;
    centre: boolean;
    classes: string[];
    label: string | null;
    checkpoint: string | null;
    ask: Record<string, any>;
    squash: string;
    forced: [number, number][];
    ink: boolean;
    origin: Record<string, string | number | number>;
  };
  arrays: {
    location: Float32Array; // glimpse, pair
    location_mean: Float32Array; // glimpse, pair
    corner: Float32Array; // glimpse, scale, pair
    patches: Float32Array; // glimpse, scale, patch_row, patch_column
    belief: Float32Array; // glimpse, class
    baseline: Float32Array; // glimpse
    picture: Uint8Array; // row, column, channel
  };
}

interface Text {
  header: {
    before: number[];
  };
  arrays: {
    probabilities: Float32Array; // step, class
  };
}

interface Weights {
  header: {
    name: string;
    title: string;
    path: string;
    queries: "steps" | "columns";
    keys: "columns" | "steps" | "numbers";
    learnt: boolean;
    of: "weight" | "gradient";
  };
  arrays: {
    own: Float32Array; // head, query, key
    right?: Float32Array; // head, right_query, right_key
  };
}

interface Curve {
  header: {
    key: string;
    title: string;
    control: boolean;
    lengths: number[];
    digits: number[];
    exact: number[];
    digits_range: [number, number][];
    exact_range: [number, number][];
    distance: number[];
    stops: number[];
    seeds: number;
  };
  arrays: {};
}

interface AlignmentView {
  header: {
    digits: number;
    pitch: number;
    classes: string[];
    right: number[] | null;
    reads: number[] | null;
    own: Text["header"];
    told: Text["header"] | null;
    layers: Weights["header"][];
    trained: number | null;
    kind: string;
    curves: Curve["header"][];
    checkpoint: string;
    asked: Record<string, any>;
    origin: Record<string, string | number | number>;
  };
  arrays: {
    picture: Uint8Array; // row, column, colour
    "own.probabilities": Float32Array; // step, class
    "told.probabilities": Float32Array; // step, class
    [name: `${number}.own`]: Float32Array; // head, query, key
    [name: `${number}.right`]: Float32Array; // head, right_query, right_key
  };
}

interface GateTap {
  header: {
    address: string;
  };
  arrays: {
    mean: Float32Array; // ...
    other?: Float32Array; // ...
  };
}

interface GatesOfLayer {
  header: {
    title: string;
    path: string;
    form: "gate" | "one plus";
    tap: GateTap["header"];
    kinds: string[];
    shift_is: string;
    space_is: string;
    space_tap: GateTap["header"] | null;
  };
  arrays: {
    "tap.mean": Float32Array; // ...
    "tap.other"?: Float32Array; // ...
    gate: Float64Array; // channel
    mean: Float64Array; // channel
    lowest: Float64Array; // channel
    highest: Float64Array; // channel
    squeezed: Float64Array; // channel
    squeezed_max: Float64Array; // channel
    reduced: Float64Array; // unit
    excite: Float64Array; // channel, unit
    shift: Float64Array; // channel
    space?: Float64Array; // row, column
    "space_tap.mean": Float32Array; // ...
    "space_tap.other"?: Float32Array; // ...
  };
}

interface GatesView {
  header: {
    ink: boolean;
    layers: GatesOfLayer["header"][];
    classes: string[];
    label: string | null;
    many: string;
    other: string | null;
    checkpoint: string;
    asked: Record<string, any>;
    origin: Record<string, string | number | number>;
  };
  arrays: {
    picture: Uint8Array; // row, column, colour
    [name: `${number}.tap.mean`]: Float32Array; // ...
    [name: `${number}.tap.other`]: Float32Array; // ...
    [name: `${number}.gate`]: Float64Array; // channel
    [name: `${number}.mean`]: Float64Array; // channel
    [name: `${number}.lowest`]: Float64Array; // channel
    [name: `${number}.highest`]: Float64Array; // channel
    [name: `${number}.squeezed`]: Float64Array; // channel
    [name: `${number}.squeezed_max`]: Float64Array; // channel
    [name: `${number}.reduced`]: Float64Array; // unit
    [name: `${number}.excite`]: Float64Array; // channel, unit
    [name: `${number}.shift`]: Float64Array; // channel
    [name: `${number}.space`]: Float64Array; // row, column
    [name: `${number}.space_tap.mean`]: Float32Array; // ...
    [name: `${number}.space_tap.other`]: Float32Array; // ...
    logits: Float32Array; // logit
    probabilities: Float32Array; // class
  };
}

interface LayersView {
  header: {
    even: Record<string, number>;
    layers: number;
    rows: number;
    columns: number;
    prefix: number;
    names: string[];
    classes: string[];
    label: string | null;
    origin: Record<string, string | number | number>;
    ink: boolean;
    carried_signed: boolean;
    logit: number | null;
    unit: string;
  };
  arrays: {
    picture: Float64Array; // row, column
    background: Uint8Array; // y, x, colour
    query: Float64Array; // layer, head, token, size
    key: Float64Array; // layer, head, token, size
    value: Float64Array; // layer, head, token, number
    log_normaliser: Float64Array; // layer, head, token
    carried: Float64Array; // layer, head, token
    received: Float64Array; // layer, head, token
    output: Float64Array; // layer, token, feature
    distance: Float64Array; // layer, head
    entropy: Float64Array; // layer, head
    nowhere: Float64Array; // layer, head
    answers: Float64Array; // layer, class
    probabilities: Float64Array; // class
  };
}

interface Angles {
  header: {
    slope: number | null;
    offset: number | null;
    here: number | null;
  };
  arrays: {
    picture: Float32Array; // picture
    grid: Float32Array; // picture
  };
}

interface GridView {
  header: {
    ink: boolean;
    many: string;
    tap: string;
    classes: string[];
    label: string | null;
    angles: Angles["header"] | null;
    checkpoint: string;
    asked: Record<string, any>;
    origin: Record<string, string | number | number>;
  };
  arrays: {
    picture: Uint8Array; // row, column, colour
    theta: Float64Array; // two, three
    mean: Float64Array; // two, three
    logits: Float32Array; // logit
    probabilities: Float32Array; // class
    "angles.picture": Float32Array; // picture
    "angles.grid": Float32Array; // picture
  };
}

interface Norm {
  header: {
    eps: number;
  };
  arrays: {
    mean: Float64Array | Float32Array; // map
    variance: Float64Array | Float32Array; // map
    scale?: Float64Array | Float32Array; // map
    shift?: Float64Array | Float32Array; // map
  };
}

interface StageLayer {
  header: {
    path: string;
    norm: Norm["header"] | null;
    factor: number;
    output_norm: Norm["header"] | null;
    skip: boolean;
    heads: any; // follows from the fields
    channels: any; // follows from the fields
    outputs: any; // follows from the fields
    rows: any; // follows from the fields
    columns: any; // follows from the fields
    kernel: any; // follows from the fields
  };
  arrays: {
    x_weights: Float64Array | Float32Array; // head, channel, row, column
    y_weights: Float64Array | Float32Array; // head, channel, row, column
    convolution: Float64Array | Float32Array; // channel, map, window, window
    bias: Float64Array | Float32Array; // channel
    "norm.mean": Float64Array | Float32Array; // map
    "norm.variance": Float64Array | Float32Array; // map
    "norm.scale"?: Float64Array | Float32Array; // map
    "norm.shift"?: Float64Array | Float32Array; // map
    "output_norm.mean": Float64Array | Float32Array; // map
    "output_norm.variance": Float64Array | Float32Array; // map
    "output_norm.scale"?: Float64Array | Float32Array; // map
    "output_norm.shift"?: Float64Array | Float32Array; // map
    fixed?: Float64Array | Float32Array; // head, channel, row, column
    mean?: Float64Array | Float32Array; // head, channel, row, column
  };
}

interface Other {
  header: {
    number: number;
  };
  arrays: {
    input: Float64Array | Float32Array; // channel, row, column
  };
}

interface StageView {
  header: {
    layers: StageLayer["header"][];
    block: number;
    classes: string[];
    label: string | null;
    checkpoint: string | null;
    asked: Record<string, any>;
    derived: string;
    ink: boolean;
    other: Other["header"] | null;
    origin: Record<string, string | number | number>;
  };
  arrays: {
    picture: Uint8Array; // y, x, colour
    input: Float64Array | Float32Array; // channel, row, column
    [name: `${number}.x_weights`]: Float64Array | Float32Array; // head, channel, row, column
    [name: `${number}.y_weights`]: Float64Array | Float32Array; // head, channel, row, column
    [name: `${number}.convolution`]: Float64Array | Float32Array; // channel, map, window, window
    [name: `${number}.bias`]: Float64Array | Float32Array; // channel
    [name: `${number}.norm.mean`]: Float64Array | Float32Array; // map
    [name: `${number}.norm.variance`]: Float64Array | Float32Array; // map
    [name: `${number}.norm.scale`]: Float64Array | Float32Array; // map
    [name: `${number}.norm.shift`]: Float64Array | Float32Array; // map
    [name: `${number}.output_norm.mean`]: Float64Array | Float32Array; // map
    [name: `${number}.output_norm.variance`]: Float64Array | Float32Array; // map
    [name: `${number}.output_norm.scale`]: Float64Array | Float32Array; // map
    [name: `${number}.output_norm.shift`]: Float64Array | Float32Array; // map
    [name: `${number}.fixed`]: Float64Array | Float32Array; // head, channel, row, column
    [name: `${number}.mean`]: Float64Array | Float32Array; // head, channel, row, column
    logits: Float64Array | Float32Array; // logit
    probabilities: Float64Array | Float32Array; // class
    "other.input": Float64Array | Float32Array; // channel, row, column
  };
}
