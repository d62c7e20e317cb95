import { SchedError } from '@sched/core'
import type { Setting } from '../setting.js'
import { linesOf, type SourceText } from '../source-text.js'
import type { Statement } from './lines.js'

const HEADING = /^Configuration data as of /
const PARTITION = /^PartitionName=\S/

/** Whether a text is the output of `scontrol show config`, of `scontrol show partition` (with several lines or one, -o, for each), or both. */
export const isShownSettings = (text: string): boolean =>
  /^Configuration data as of /m.test(text) || /^PartitionName=\S+[ \t]*\r?\n[ \t]+\w+=/m.test(text) || /^PartitionName=\S+[ \t](?:.*[ \t])?TotalCPUs=/m.test(text)

/** Fields of a partition that are no settings but follow from them. */
const FACTS = /^(TotalCPUs|TotalNodes|NodeSets|TRES)$/i
/** Values that scontrol prints for any setting that is not given. */
const NOTHING = /^(\(null\)|N\/A)?$/i
/** Settings for which it prints NONE; for others NONE is a value. */
const NONE = /^(OverTimeLimit|SelectTypeParameters|JobDefaults)$/i

/**
 * Reads the output of `scontrol show config` and `scontrol show partition` as lines of a slurm.conf: each setting is a line, and each partition. Settings that
 * are not given are left out, and so are units of time, which are the units of the file. What `show config` prints of other files (Cgroup Support
 * Configuration) and of the state of daemons is passed over. Throws `BAD_INPUT` with the line.
 *
 * Source: Slurm, slurm_print_ctl_conf (config_info.c) and slurm_sprint_partition_info (partition_info.c).
 */
export function shownSettings({ text, file }: SourceText): Statement[] {
  const statements: Setting[][] = []
  let part: 'none' | 'config' | 'partition' | 'other' = 'none'
  for (const [i, content] of linesOf(text).entries()) {
    const line = i + 1
    if (HEADING.test(content)) part = 'config'
    else if (PARTITION.test(content)) {
      part = 'partition'
      statements.push(pairsOf(content, file, line))
    } else if (part === 'partition' && /^\s+\S/.test(content)) statements.at(-1)?.push(...pairsOf(content, file, line))
    else if (content.trim() === '' || part === 'other') continue
    else if (part === 'config') {
      const setting = lineOf(content, file, line)
      if (setting === undefined) part = 'other'
      else statements.push([setting])
    } else
      throw new SchedError(
        'BAD_INPUT',
        `found ${JSON.stringify(content.trim().slice(0, 40))}, expected what scontrol show config or scontrol show partition prints.`,
        { file, line },
        'Give what it prints, as it is.',
      )
  }
  return statements.map((settings) => settings.filter(isSaid)).filter((settings) => settings.length > 0) as unknown as Statement[]
}

/** The setting of a line of `show config`; undefined: the line is the heading of another file. */
function lineOf(content: string, file: string, line: number): Setting | undefined {
  const found = /^(\w[\w[\]/]*)\s+=(.*)$/.exec(content)
  return found === null ? undefined : { name: found[1] as string, value: (found[2] as string).trim().replace(/^(\d+) (sec|min|usec|days?|hours?)$/, '$1'), file, line }
}

const pairsOf = (content: string, file: string, line: number): Setting[] =>
  [...content.matchAll(/(?:^|\s)(\w+)=(\S*)/g)].map(([, name = '', value = '']) => ({ name, value, file, line }))

const isSaid = ({ name, value }: Setting): boolean => !FACTS.test(name) && !NOTHING.test(value) && !(NONE.test(name) && /^NONE$/i.test(value))
