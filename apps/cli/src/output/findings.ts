import type { Finding, Verdict } from '@sched/queue-files'
import { counted } from './number.js'

/** More settings of one kind than this are counted and not listed, unless all are asked for. */
const MANY = 40
const verdicts: readonly Verdict[] = ['honoured', 'approximated', 'ignored']

/** What became of the settings of a queue file: by verdict, each with its line. */
export function findingsText(findings: readonly Finding[], { all = false } = {}): string {
  const files = new Set(findings.map(({ file }) => file)).size
  const lines = verdicts.flatMap((verdict) => {
    const own = findings.filter((finding) => finding.verdict === verdict)
    if (own.length === 0) return []
    const head = `${verdict}: ${counted(own.length, 'setting')}`
    if (!all && verdict === 'honoured' && own.length > MANY) return [`${head} (\`sched queues show\` lists them)`]
    return [head, ...own.map((finding) => `  ${described(finding, files > 1)}`)]
  })
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

function described({ file, line, setting, value, note }: Finding, isNamed: boolean): string {
  const text = value.replaceAll(/\s+/g, ' ')
  const short = text.length > 60 ? `${text.slice(0, 57)}...` : text
  return `${isNamed ? `${file} ` : ''}line ${line}: ${setting}${short === '' ? '' : ` = ${short}`}${note === '' ? '' : `: ${note}`}`
}
