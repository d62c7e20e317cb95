import config from './tooling/eslint/index.js'

export default config(import.meta.dirname)
