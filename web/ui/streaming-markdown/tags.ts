/**
 * The HTML tags that are drawn: a few names without attributes, in pairs below one parent, and line breaks. Comments are removed. Every other
 * tag stays text. HTML never forms a block, so Markdown next to it is read.
 */

type Tag = { readonly kind: 'open' | 'close'; readonly name: string } | { readonly kind: 'break' | 'comment' | 'text' }

/** `source`: the source of one tag or comment. */
export function tagOf(source: string): Tag {
  if (source.startsWith('<!--')) return { kind: 'comment' }
  if (/^<br\s*\/?>$/i.test(source)) return { kind: 'break' }
  const [, slash, name] = /^<(\/?)(sub|sup|kbd|mark|u)\s*>$/i.exec(source) ?? []
  return name ? { kind: slash ? 'close' : 'open', name: name.toLowerCase() } : { kind: 'text' }
}

/** The index of the closing tag by the index of its opening tag. `tags`: those below one parent; null for other content. */
export function pairsOf(tags: readonly (Tag | null)[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>()
  const open: { readonly name: string; readonly at: number }[] = []
  const depths = new Map<string, number>()
  const change = (name: string, by: 1 | -1) => depths.set(name, (depths.get(name) ?? 0) + by)
  for (const [at, tag] of tags.entries()) {
    if (tag?.kind === 'open') {
      open.push({ name: tag.name, at })
      change(tag.name, 1)
    }
    if (tag?.kind !== 'close' || (depths.get(tag.name) ?? 0) === 0) continue
    // Tags inside of the pair that are still open stay text.
    for (let last = open.pop(); last; last = open.pop()) {
      change(last.name, -1)
      if (last.name !== tag.name) continue
      pairs.set(last.at, at)
      break
    }
  }
  return pairs
}
