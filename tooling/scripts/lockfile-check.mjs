// The repository must install from any registry and on any machine: the lockfile holds no address of a host,
// and no tracked file names a package registry or a directory of somebody's machine.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
// Put together from parts, so that this file passes its own check.
const registry = new RegExp(['registry\\.npm' + 'js', 'npm' + 'js\\.(org|com)', 'yarn' + 'pkg\\.com', 'npm' + 'mirror\\.com'].join('|'))
const directory = new RegExp(`(?<![\\w.~}$-])/(${['home', 'root', 'work', 'Users'].join('|')})/`)
const address = /https?:\/\/|tarball:|file:\//

const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
  .split('\0')
  .filter((path) => path !== '')

const findings = []
for (const path of tracked) {
  let text
  try {
    text = readFileSync(root + path, 'utf8')
  } catch {
    continue // deleted in the working tree, or a link to a directory
  }
  if (text.includes('\0')) continue // binary
  text.split('\n').forEach((line, i) => {
    const what = registry.test(line)
      ? 'names a package registry'
      : directory.test(line)
        ? 'names a directory of one machine'
        : path === 'pnpm-lock.yaml' && address.test(line)
          ? 'holds an address'
          : undefined
    if (what !== undefined) findings.push(`${path}:${i + 1}: ${what}: ${line.trim().slice(0, 120)}`)
  })
}

for (const finding of findings) console.error(finding)
console.log(findings.length > 0 ? `${findings.length} findings` : `${tracked.length} files name no registry and no machine`)
process.exit(findings.length > 0 ? 1 : 0)
