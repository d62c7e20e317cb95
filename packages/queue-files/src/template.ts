import { SchedError } from '@sched/core'
import type { SourceText } from './source-text.js'

/** What Jinja and Helm, ERB and FreeMarker have in a text that is still to be filled in. */
const MARK = /\{\{[^}]*\}{0,2}|\{%[^}]*\}?|<%[^>]*>?|<#\w[^>]*>?/
/** And shells, Terraform and the like; in Hadoop's files it is a variable. */
const VARIABLE = /\$\{[^}]*\}?/

/** That a text is no file of a site yet, in a line. */
export const templateError = (mark: string, file: string, line: number | undefined): SchedError =>
  new SchedError(
    'BAD_INPUT',
    `is a template: ${mark.trim().slice(0, 60)} is still to be filled in.`,
    { file, line },
    'Give what the tool makes of it that fills it in, such as Ansible, Helm or Terraform.',
  )

/** What of a text is still to be filled in, variables too if asked for; `undefined`: nothing. */
export const templateMark = (text: string, variables = false): string | undefined => (MARK.exec(text) ?? (variables ? VARIABLE.exec(text) : null))?.[0]

/** Throws `BAD_INPUT` for the first line that is still to be filled in, outside comments of XML and lines that begin with #. */
export function refuseTemplate({ text, file }: SourceText): void {
  const lines = text.replaceAll(/<!--[^]*?-->/g, (comment) => comment.replaceAll(/[^\n]/g, ' ')).split('\n')
  for (const [i, line] of lines.entries()) {
    const mark = /^\s*#/.test(line) ? undefined : templateMark(line)
    if (mark !== undefined) throw templateError(mark, file, i + 1)
  }
}
