// Runs `npm start` as a newcomer does and holds it to a table of results: at least three lines of three columns,
// two of them with numbers.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = spawnSync('npm', ['start'], { cwd: root, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' }, stdio: ['ignore', 'pipe', 'inherit'] })
process.stdout.write(run.stdout ?? '')
if (run.status !== 0) {
  console.error(`npm start failed (${run.signal ?? `exit ${run.status}`})`)
  process.exit(1)
}

const cells = (line) => line.trim().split(/\s*[|│┃]\s*|\s{2,}/).filter((cell) => cell !== '')
const rows = run.stdout.split('\n').map(cells).filter((row) => row.length >= 3)
const withNumbers = rows.filter((row) => row.slice(1).filter((cell) => /^[<>≈±~]?-?[\d.,]+/.test(cell)).length >= 2)
if (rows.length < 3 || withNumbers.length < 2) {
  console.error('npm start printed no table of results')
  process.exit(1)
}
