export function draw() { throw new Error("it throws"); }
