import { mergeConfig } from 'vitest/config'
import base from '../../tooling/vitest/index.js'

export default mergeConfig(base, { test: { globalSetup: './test/built-program.ts', setupFiles: './test/set-up.ts' } })
