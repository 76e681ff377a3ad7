// The types of views, for `npm run types`: written by `python -m attnviz.views`. No browser reads this file.

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
