import { SchedError } from '@sched/core'
import type { SourceText } from './source-text.js'

/** The marks of Jinja and Helm, ERB and FreeMarker in a text that is still to be filled in. */
const MARK = /\{\{[^}]*\}{0,2}|\{%[^}]*\}?|<%[^>]*>?|<#\w[^>]*>?/
/** The mark of shells, Terraform and the like; in Hadoop's files it is a variable. */
const VARIABLE = /\$\{[^}]*\}?/

/** The error for a text that is a template. `mark`: what is still to be filled in, on the given line. */
export const templateError = (mark: string, file: string, line: number | undefined): SchedError =>
  new SchedError(
    'BAD_INPUT',
    `is a template: ${mark.trim().slice(0, 60)} is still to be filled in.`,
    { file, line },
    'Give what the tool makes of it that fills it in, such as Ansible, Helm or Terraform.',
  )

/** The first part of a text that is still to be filled in; `undefined` if there is none. `variables`: whether `${...}` counts too. */
export const templateMark = (text: string, variables = false): string | undefined => (MARK.exec(text) ?? (variables ? VARIABLE.exec(text) : null))?.[0]

/** Throws `BAD_INPUT` for the first line that is still to be filled in. Comments of XML and lines that begin with # are not looked at. */
export function refuseTemplate({ text, file }: SourceText): void {
  const lines = text.replaceAll(/<!--[^]*?-->/g, (comment) => comment.replaceAll(/[^\n]/g, ' ')).split('\n')
  for (const [i, line] of lines.entries()) {
    const mark = /^\s*#/.test(line) ? undefined : templateMark(line)
    if (mark !== undefined) throw templateError(mark, file, i + 1)
  }
}
