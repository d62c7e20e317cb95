import { parseModel, type BayesModel } from '@sched/placement'
import { resolve } from 'node:path'
import { readText } from '../read-text.js'

const POLICY = 'bayes-comm'

/** A model from its file. Throws `IO` and `BAD_INPUT`. */
export const readModel = (file: string, directory: string): BayesModel => parseModel(readText(resolve(directory, file)), file)

/** A configuration in which the paths of models of `bayes-comm`, however deep inside others, are changed. */
export function withModels(config: unknown, change: (path: string) => unknown): unknown {
  if (Array.isArray(config)) return config.map((each) => withModels(each, change))
  if (typeof config !== 'object' || config === null) return config
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, key === POLICY ? withModel(value, change) : withModels(value, change)]))
}

function withModel(options: unknown, change: (path: string) => unknown): unknown {
  if (typeof options !== 'object' || options === null) return options
  const { model, ...others } = options as { readonly model?: unknown }
  const rest = withModels(others, change) as object
  return model === undefined ? rest : { model: typeof model === 'string' ? change(model) : model, ...rest }
}
