const PREFIX = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/
const NAME = /^(?=.{1,63}$)[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/

/**
 * Whether Kubernetes takes a text for the name of a label, a taint or a resource: `gpu`, or `example.com/gpu` with the name of a domain.
 *
 * Source: Kubernetes, apimachinery/pkg/util/validation (IsQualifiedName).
 */
export function isQualifiedName(text: string): boolean {
  const parts = text.split('/')
  const name = parts.pop() as string
  return NAME.test(name) && (parts.length === 0 || (parts.length === 1 && PREFIX.test(parts[0] as string)))
}

/** Whether Kubernetes takes a text for the value of a label; it may be empty. */
export const isLabelValue = (text: string): boolean => text === '' || NAME.test(text)
