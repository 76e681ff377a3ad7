import js from "@eslint/js";

export default [
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-undef": "off", // TypeScript knows what a browser has
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "object-shorthand": "error",
      eqeqeq: "error",
      // Prettier wraps code; what it leaves are comments and strings.
      "max-len": ["error", { code: 120, comments: 120, ignoreUrls: true }],
    },
  },
];
