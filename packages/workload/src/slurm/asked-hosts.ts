import { hostNames } from '@sched/core'
import type { AskedHosts } from '../accounting/records.js'
import { ownOptions, valueOf } from './submit-line.js'

/**
 * The nodes that a job must have (`--nodelist`) and those that it must not (`--exclude`), from the command that submitted it (SubmitLine). `undefined`: it names none,
 * or by a file, or in a form that is not known.
 */
export function askedHostsIn(command: string, id: string): AskedHosts | undefined {
  const options = ownOptions(command, id)
  const [all, none] = [namesOf(valueOf(options, 'nodelist', 'w')), namesOf(valueOf(options, 'exclude', 'x'))]
  return all.length + none.length === 0 ? undefined : { all, none }
}

function namesOf(list = ''): string[] {
  if (list.includes('/')) return [] // the path of a file
  try {
    return hostNames(list, (fact) => new Error(fact))
  } catch {
    return []
  }
}
