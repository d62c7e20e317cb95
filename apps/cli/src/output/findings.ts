import type { Finding, Verdict } from '@sched/queue-files'
import { counted, number } from './number.js'

/** More settings of one kind than this are counted and not listed, unless all are asked for. */
const MANY = 40
const verdicts: readonly Verdict[] = ['honoured', 'approximated', 'ignored']

/** What became of the settings of a queue file: by verdict, each with its line. Those that were told of another file (`told`, which grows) are counted. */
export function findingsText(findings: readonly Finding[], { all = false, told = new Set<string>() } = {}): string {
  const files = new Set(findings.map(({ file }) => file)).size
  const lines = verdicts.flatMap((verdict) => {
    const own = findings.filter((finding) => finding.verdict === verdict)
    const fresh = own.filter((finding) => !told.has(keyOf(finding)))
    for (const finding of own) told.add(keyOf(finding))
    if (own.length === 0) return []
    const head = `${verdict}: ${counted(own.length, 'setting')}`
    if (!all && verdict === 'honoured' && own.length > MANY) return [`${head} (${LISTED})`]
    const repeated = own.length - fresh.length
    return [
      `${head}${fresh.length === 0 ? ', as above' : repeated > 0 ? `, ${number(repeated)} of them as above` : ''}`,
      ...fresh.map((finding) => `  ${described(finding, files > 1)}`),
    ]
  })
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

/** How many settings of a queue file do not act as they would in production, in a line; empty where all do. */
export function findingsLine(findings: readonly Finding[]): string {
  const counts = verdicts.slice(1).flatMap((verdict) => {
    const own = findings.filter((finding) => finding.verdict === verdict).length
    return own === 0 ? [] : [`${number(own)} ${verdict}`]
  })
  return counts.length === 0 ? '' : `settings ${counts.join(', ')} (${LISTED})`
}

const LISTED = '`sched queues show` lists them'

/** Lines are left out: in another version of a file they are others. */
const keyOf = ({ verdict, setting, value, note }: Finding): string => JSON.stringify([verdict, setting, value, note])

function described({ file, line, setting, value, note }: Finding, isNamed: boolean): string {
  const text = value.replaceAll(/\s+/g, ' ')
  const short = text.length > 60 ? `${text.slice(0, 57)}...` : text
  return `${isNamed ? `${file} ` : ''}line ${line}: ${setting}${short === '' ? '' : ` = ${short}`}${note === '' ? '' : `: ${note}`}`
}
