import { YamlSource } from '@sched/cluster'
import { isSlurmConf, type SourceText } from '@sched/queue-files'
import { dirname, resolve } from 'node:path'
import { readTable, sourceOf } from '../read-text.js'

/** An `Include` of a slurm.conf, an `xi:include` of Hadoop. */
const inclusion = /^\s*include\s+(?:"([^"\n]*)"|(\S+))|<(?:\w+:)?include\s[^>]*?href\s*=\s*["']([^"']+)["']/gim

/** What a slurm.conf reads beside it without naming it. */
const besideSlurm = ['topology.yaml', 'topology.conf']

/**
 * The files that a description of a cluster or a queue file names, or reads beside itself: the table that a mapping of columns is about, and what is included, at any depth. Paths are whole. Of a file that cannot be read
 * there are none: whoever reads it says why.
 */
export async function filesNamedIn(file: string): Promise<string[]> {
  const text = await attempt(() => readTable(file))
  if (text === undefined) return []
  return [...(await tableOf(text, file)), ...(await includedBy(sourceOf(file, '', text), [file]))]
}

async function tableOf(text: string, file: string): Promise<string[]> {
  if (!/\btable\b/.test(text)) return []
  const value = (await attempt(() => new YamlSource(text, file).value)) as { readonly table?: unknown } | undefined
  return typeof value?.table === 'string' ? [resolve(dirname(file), value.table)] : []
}

async function includedBy({ text, include }: SourceText, around: readonly string[]): Promise<string[]> {
  const cluster = /^\s*clustername\s*=\s*(\S+)/im.exec(text)?.[1]?.toLowerCase() ?? '%c'
  const found: string[] = []
  const named = Array.from(text.matchAll(inclusion), ([, quoted, plain, href]) => (quoted ?? plain ?? href ?? '').replaceAll('%c', () => cluster))
  for (const path of isSlurmConf(text) ? [...named, ...besideSlurm] : named) {
    const inside = await attempt(() => include?.(path))
    if (inside !== undefined && !around.includes(inside.file)) found.push(inside.file, ...(await includedBy(inside, [...around, inside.file])))
  }
  return found
}

async function attempt<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch {
    return undefined
  }
}
