export { default } from '../../tooling/vitest/index.js'
