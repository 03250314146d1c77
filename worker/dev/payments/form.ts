/** Parses Stripe's request parameters: nested names such as `line_items[0][price]`, in a query or a form body. */
export type Params = { readonly [name: string]: string | Params | undefined }

export function parseParams(text: string): Params {
  const root: { [name: string]: unknown } = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll(']', '').split('[')
    let node = root
    for (const key of path.slice(0, -1)) {
      node[key] ??= {}
      node = node[key] as { [name: string]: unknown }
    }
    node[path.at(-1) ?? ''] = value
  }
  return root as Params
}

export const textAt = (params: Params, name: string): string | null => {
  const value = params[name]
  return typeof value === 'string' && value !== '' ? value : null
}

export const groupAt = (params: Params, name: string): Params => {
  const value = params[name]
  return typeof value === 'object' ? value : {}
}

/** The string values of a group, by name. */
export const textsOf = (params: Params): { [name: string]: string } =>
  Object.fromEntries(Object.entries(params).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
