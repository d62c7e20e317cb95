import { mergeConfig } from 'vitest/config'
import base from '../../tooling/vitest/index.js'

export default mergeConfig(base, { test: { globalSetup: 'apps/cli/test/built-program.ts', setupFiles: 'apps/cli/test/set-up.ts' } })
