import { SchedError } from '@sched/core'
import { readResourceGroup } from '@sched/policies'
import { linesOf, type SourceText } from '../source-text.js'

/** Whether a text is a resource_group file: its first line that is neither empty nor a comment is one of it, or it has comments alone, as the one that is shipped. */
export const isResourceGroup = (text: string): boolean => /^\uFEFF?(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*[^\s#]\S*[ \t]+\d+[ \t]+\S+[ \t]+\d+[ \t]*(\r?\n|$)/.test(text) || /^\uFEFF?(?:\s*#.*(?:\n|$))+\s*$/.test(text)

/** Throws `BAD_INPUT` with the line for one that OpenPBS would pass over. */
export function checkResourceGroup({ file, text }: SourceText): void {
  readResourceGroup(linesOf(text).join('\n'), (line, fact, wayOut) => new SchedError('BAD_INPUT', `${fact}.`, { file, line }, wayOut))
}

/** Its lines that say something. */
export const withoutComments = (text: string): string => linesOf(text).filter((line) => !/^\s*(#|$)/.test(line)).join('\n')
