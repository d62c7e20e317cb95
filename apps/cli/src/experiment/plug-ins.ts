import { SchedError, type Defined, type Kind, type Preset, type Registry } from '@sched/core'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const kinds: ReadonlySet<unknown> = new Set<Kind>(['order', 'policy', 'placement', 'architecture'])

/** Adds what a module exports as default: one definition or preset, or a list of them. Throws `BAD_INPUT` or `TAKEN_NAME`. */
export async function addPlugIns(registry: Registry, specifier: string, directory: string): Promise<void> {
  const found = (await load(specifier, directory)).default
  for (const each of Array.isArray(found) ? (found as unknown[]) : [found])
    if (isDefinition(each)) registry.add(each)
    else if (isPreset(each)) registry.addPreset(each)
    else throw new SchedError('BAD_INPUT', `"${specifier}" has no plug-in as its default export.`, {}, 'Export what definePolicy() or one of its kind returns.')
}

async function load(specifier: string, directory: string): Promise<{ readonly default?: unknown }> {
  try {
    return (await import(locate(specifier, directory))) as { readonly default?: unknown }
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error)
    throw new SchedError('BAD_INPUT', `cannot load the plug-in "${specifier}": ${reason}.`.replace(/\.\.$/, '.'))
  }
}

/** A path is relative to the file that names it; a package is looked up from there, then from here. */
function locate(specifier: string, directory: string): string {
  if (/^(\.|\/)/.test(specifier)) return pathToFileURL(resolve(directory, specifier)).href
  try {
    return pathToFileURL(createRequire(resolve(directory, 'experiment.yaml')).resolve(specifier)).href
  } catch {
    return specifier
  }
}

function isDefinition(value: unknown): value is Defined<Kind> {
  const { kind, name, plug } = (value ?? {}) as Partial<Record<string, unknown>>
  return kinds.has(kind) && typeof name === 'string' && typeof plug === 'function'
}

function isPreset(value: unknown): value is Preset {
  const { kind, name, config } = (value ?? {}) as Partial<Record<string, unknown>>
  return kinds.has(kind) && typeof name === 'string' && config !== undefined
}
