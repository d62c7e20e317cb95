// Type-checks the package in the current directory: its sources, then its tests, each under its own tsconfig.json.
// Runs the native compiler, about eight times faster than the one that the linter and the bundler load.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const tsc = fileURLToPath(new URL('../../node_modules/typescript7/bin/tsc', import.meta.url))
const projects = ['.', 'src/node', 'test'].filter((dir) => existsSync(`${dir}/tsconfig.json`))
const failed = projects.filter((dir) => spawnSync(process.execPath, [tsc, '-p', dir], { stdio: 'inherit' }).status !== 0)
process.exit(failed.length > 0 ? 1 : 0)
