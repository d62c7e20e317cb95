import { knownWords, SchedError } from '@sched/core'
import type { Setting } from '../setting.js'
import { linesOf, type SourceText } from '../source-text.js'
import type { Attribute, Attributes } from './attributes.js'

/** A queue that the file creates. */
export interface PbsQueue {
  /** Name as written. */
  readonly name: string
  /** The line that creates it. */
  readonly created: Setting
  readonly attributes: Attributes
}

/** What the output of `qmgr -c "print server"` and `"print sched"` says. */
export interface Qmgr {
  readonly server: Attributes
  /** Of the scheduler `default`. */
  readonly sched: Attributes
  /** In the order of the file. */
  readonly queues: readonly PbsQueue[]
  /** By name of a node: its Priority. */
  readonly nodes: Attributes
  /** Lines that say nothing here, and why. */
  readonly unused: readonly (readonly [Setting, note: string])[]
}

/** Whether a text is what `qmgr` prints: its first line that is neither empty nor a comment creates or sets an object of PBS. */
export const isQmgr = (text: string): boolean => /^\uFEFF?(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*(create|set)[ \t]+(queue|server|sched|resource|node)\b/i.test(text)

/** Objects of PBS that decide nothing here, and why. */
const others = knownWords({
  resource: 'resources are those of the cluster, and licences of jobs',
  node: 'nodes are those of the cluster',
  hook: 'hooks are not run',
  pbshook: 'hooks are not run',
})
const STATEMENT = /^\s*(create|set|import)\s+(\w+)\s*(.*?)\s*$/i
const ASSIGNED = /^(?:(\S+)\s+)?([\w.-]+)\s*(\+?=)\s*(.*)$/
/** Behind `set node`. */
const PRIORITY = /^(\S+)\s+priority\s*=\s*(\S+)$/i
const WAY_OUT = 'Give what qmgr -c "print server" prints, and "print sched" behind it.'

/**
 * Reads what `qmgr` prints, of several files one after the other: `create queue`, and `set` of queues, the server and the scheduler, with = and +=, and of nodes their Priority. Throws
 * `BAD_INPUT` with the line for any other line, and for a queue that is set before it is created or created twice.
 */
export function readQmgr(sources: readonly SourceText[]): Qmgr {
  const [server, sched] = [new Map<string, Attribute>(), new Map<string, Attribute>()]
  const queues = new Map<string, PbsQueue & { readonly attributes: Map<string, Attribute> }>()
  const nodes = new Map<string, Attribute>()
  const unused: [Setting, string][] = []
  const assign = (attributes: Map<string, Attribute>, key: string, sign: string, setting: Setting) => {
    const before = attributes.get(key)
    if (sign === '=') for (const each of before?.lines ?? []) unused.push([each, `line ${setting.line} sets it again`])
    attributes.set(key, sign === '=' || before === undefined ? { value: setting.value, lines: [setting] } : { value: `${before.value},${setting.value}`, lines: [...before.lines, setting] })
  }
  for (const { file, text } of sources)
    for (const [i, content] of linesOf(text).entries()) {
      if (/^\s*(#|$)/.test(content)) continue
      const line = i + 1
      const refused = (fact: string, wayOut = WAY_OUT) => new SchedError('BAD_INPUT', fact, { file, line }, wayOut)
      const [, verb = '', of = '', rest = ''] = STATEMENT.exec(content) ?? []
      const object = of.toLowerCase()
      if (verb === '' || (others[object] === undefined && !['queue', 'server', 'sched'].includes(object))) throw refused(`found "${content.trim()}".`)
      const why = others[object]
      const [, ofNode = '', priority] = object === 'node' ? (PRIORITY.exec(rest) ?? []) : []
      if (priority !== undefined) assign(nodes, ofNode, '=', { name: `${ofNode} Priority`, value: priority, file, line })
      else if (why !== undefined || verb.toLowerCase() === 'import') unused.push([{ name: `${verb} ${of} ${rest.split(/\s/)[0] ?? ''}`, value: rest.replace(/^\S+\s*/, ''), file, line }, why ?? 'not read'])
      else if (verb.toLowerCase() === 'create') {
        if (object !== 'queue') continue // the default scheduler is always there, and others have nothing to do
        const first = queues.get(rest)
        if (rest === '' || /\s/.test(rest)) throw refused('found no name of one queue.', 'Write create queue NAME.')
        if (first !== undefined) throw refused(`queue "${rest}" was created before, in line ${first.created.line}.`, 'Create every queue once.')
        queues.set(rest, { name: rest, created: { name: 'create queue', value: rest, file, line }, attributes: new Map() })
      } else {
        const [, target = '', name = '', sign = '', written = ''] = ASSIGNED.exec(rest) ?? []
        if (name === '') throw refused(`found "${content.trim()}", expected ATTRIBUTE = VALUE.`)
        const value = written.replace(/^(["'])(.*)\1$/, '$2').trim()
        const isDefault = target === '' || target === 'default'
        const setting = { name: object === 'queue' || (object === 'sched' && !isDefault) ? `${target} ${name}` : name, value, file, line }
        const queue = object === 'queue' ? queues.get(target) : undefined
        if (object === 'queue' && queue === undefined) throw refused(`queue "${target}" is set, and was not created.`, `Put create queue ${target} before it.`)
        if (object === 'sched' && !isDefault) unused.push([setting, 'of another scheduler: that called default is run'])
        else assign(queue?.attributes ?? (object === 'server' ? server : sched), name.replace(/^[^.]+/, (attribute) => attribute.toLowerCase()), sign, setting)
      }
    }
  return { server, sched, queues: [...queues.values()], nodes, unused }
}
