import { html, type Section } from '@sched/report'
import type { Description } from '../experiment/experiment.js'
import type { Io } from '../io.js'
import { experimentYaml } from '../output/experiment-yaml.js'
import { version } from '../version.js'

/** How the page came about, and how to get its numbers again: the command, the version, and the experiment with its seeds. */
export function asRun(description: Description, io: Io, options: readonly string[] = []): Section {
  const argv = (io.argv ?? []).filter((argument, i, all) => !argument.startsWith('--threads') && all[i - 1] !== '--threads') // on which nothing depends
  const [name = 'compare'] = argv
  const command = (args: readonly string[]) => ['sched', ...args].map(quoted).join(' ')
  return {
    title: 'How to get this again',
    content: html`<p>Version ${version} of sched, by</p>
<pre>${command(argv)}</pre>
<p>or, with the experiment as it ran in a file in the same directory, by <code>${command([name === 'demo'
  ? 'compare'
  : name, 'experiment.yaml', ...options])}</code>; the same seeds give the same numbers on any machine.</p>
<details><summary>experiment.yaml</summary><pre>${experimentYaml(description, io.cwd)}</pre></details>
`,
  }
}

/** As a shell takes it. */
const quoted = (argument: string): string => (/^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`)
