import { define, SchedError, type Defined, type Definition, type Kind, type Preset, type Registry } from '@sched/core'
import { existsSync } from 'node:fs'
import { createRequire, register } from 'node:module'
import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const kinds: ReadonlySet<unknown> = new Set<Kind>(['order', 'policy', 'placement', 'architecture'])

/**
 * Adds what a module exports as default: what `definePolicy()` or one of its kind returns, the plain object that one would
 * give it (then with its `kind`, and without options unless it has a schema), a preset, or a list of these. Throws
 * `BAD_INPUT` or `TAKEN_NAME`.
 */
export async function addPlugIns(registry: Registry, specifier: string, directory: string): Promise<void> {
  const found = (await load(specifier, directory)).default
  for (const each of Array.isArray(found) ? (found as unknown[]) : [found])
    if (isDefined(each)) registry.add(each)
    else if (isPlain(each)) registry.add(define({ ...each, summary: each.summary ?? '' }))
    else if (isPreset(each)) registry.addPreset(each)
    else throw new SchedError('BAD_INPUT', `"${specifier}" has no plug-in as its default export.`, {}, 'Export what definePolicy() or one of its kind returns.')
}

async function load(specifier: string, directory: string): Promise<{ readonly default?: unknown }> {
  shareOwnPackages()
  try {
    return (await import(locate(specifier, directory))) as { readonly default?: unknown }
  } catch (error) {
    const reason = (error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error)).replace(` imported from ${fileURLToPath(import.meta.url)}`, '')
    throw new SchedError('BAD_INPUT', `cannot load the plug-in "${specifier}": ${reason}.`.replace(/\.\.$/, '.'), {}, wayOut(specifier, reason))
  }
}

/** What to do where the module is not read as what it is. */
function wayOut(specifier: string, reason: string): string {
  const isTyped = specifier.endsWith('.ts')
  if (/^Cannot find (module|package) '(@sched\/|zod)/.test(reason) && !specifier.endsWith('.mjs') && !isTyped)
    return 'It is taken for CommonJS: call it .mjs, or put `"type": "module"` into a package.json beside it.'
  if (isTyped) return 'Compile it to JavaScript first, or use the built program (`pnpm build`) on Node 22.18 or newer.'
  return reason.startsWith('Unknown file extension ".ts"') ? 'Build the program first (`pnpm build`), or use `--threads 1`.' : ''
}

let sharesOwnPackages = false

/** A plug-in in a folder of its own, where nothing is installed, finds `@sched/core`, `zod` and what else this program is made of here. */
function shareOwnPackages(): void {
  if (sharesOwnPackages) return
  sharesOwnPackages = true
  const hook = `export const resolve = (specifier, context, next) => next(specifier, context).catch((error) => {
    if (!/^(@sched\\/|zod(\\/|$))/.test(specifier)) throw error
    return next(specifier, { ...context, parentURL: ${JSON.stringify(import.meta.url)} })
  })`
  register(`data:text/javascript,${encodeURIComponent(hook)}`)
}

/** A path is relative to the file that names it, and may be the folder of a package; a package is looked up from there, then from here. */
function locate(specifier: string, directory: string): string {
  const path = modulePath(specifier, directory)
  try {
    return pathToFileURL(createRequire(resolve(directory, 'experiment.yaml')).resolve(path)).href
  } catch {
    return isAbsolute(path) ? pathToFileURL(path).href : specifier
  }
}

/** The path of a module, absolute; the name of a package stays. */
export const modulePath = (module: string, directory: string): string => (/^(\.|\/)/.test(module) || existsSync(resolve(directory, module)) ? resolve(directory, module) : module)

interface Named extends Partial<Record<string, unknown>> {
  readonly kind: Kind
  readonly name: string
}

function isNamed(value: unknown): value is Named {
  const { kind, name } = (value ?? {}) as Partial<Named>
  return kinds.has(kind) && typeof name === 'string'
}

const isDefined = (value: unknown): value is Defined<Kind> => isNamed(value) && typeof value['plug'] === 'function'
const isPlain = (value: unknown): value is Omit<Definition<Kind, object, Record<never, never>>, 'summary'> & { readonly summary?: string } => isNamed(value) && typeof value['create'] === 'function'
const isPreset = (value: unknown): value is Preset => isNamed(value) && value['config'] !== undefined
