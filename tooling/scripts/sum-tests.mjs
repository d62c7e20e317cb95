// Adds up what the test suites of all packages and the examples in the documents reported, as one line
// `N passed, N failed, N skipped`. A package with tests but without a report of them counts as one failure, and so does
// a test file that broke before its first test. `--failed-steps 1` adds failures from outside the tests.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined)
const hasTests = (dir) =>
  existsSync(join(dir, 'test')) && readdirSync(join(dir, 'test'), { recursive: true }).some((path) => path.endsWith('.test.ts'))

const option = process.argv.indexOf('--failed-steps')
const sum = { passed: 0, failed: option < 0 ? 0 : Number(process.argv[option + 1]), skipped: 0 }
const add = ({ passed, failed, skipped }) => {
  sum.passed += passed
  sum.failed += failed
  sum.skipped += skipped
}

for (const parent of ['packages', 'apps'])
  for (const name of readdirSync(join(root, parent))) {
    const dir = join(root, parent, name)
    if (!hasTests(dir)) continue
    const report = read(join(dir, '.vitest/report.json'))
    if (report === undefined) {
      console.error(`${parent}/${name}: has tests but no .vitest/report.json`)
      sum.failed++
      continue
    }
    const { numPassedTests: passed, numFailedTests: failed, numTotalTests: total } = report
    const broken = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.every((t) => t.status !== 'failed'))
    add({ passed, failed: failed + broken.length, skipped: total - passed - failed })
  }
const docs = read(join(root, '.vitest/docs.json'))
if (docs !== undefined) add(docs)

console.log(`${sum.passed} passed, ${sum.failed} failed${sum.skipped > 0 ? `, ${sum.skipped} skipped` : ''}`)
