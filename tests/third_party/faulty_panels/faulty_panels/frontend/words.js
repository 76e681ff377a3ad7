export const draw = () => ({ most: "words", values: 3 });
