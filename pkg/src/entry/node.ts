import "./node-loader.js";

export * from "../index.js";
