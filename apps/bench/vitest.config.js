import { mergeConfig } from 'vitest/config'
import base from '../../tooling/vitest/index.js'

// everything is imported once per worker and not once per file: it is the whole repository
export default mergeConfig(base, { test: { isolate: false } })
