/**
 * [1], [1][2] and [1, 2] become pills that link to the numbered sources, and so does a link whose text is only numbers, whatever its address. A
 * number without a source stays text. A citation therefore links only to pages fetched for the answer. Links with other text are unchanged.
 */
import type { Token } from 'markdown-it'
import { createToken } from '../streaming-markdown/answer-parser.ts'

export type CitedSource = {
  readonly number: number
  readonly title: string
  readonly url: string
  readonly site: string
  readonly snippet?: string
}

const numbers = String.raw`\d{1,3}(?:\s*,\s*\d{1,3})*`
const groupPattern = new RegExp(String.raw`\[(${numbers})\]`, 'g')
/** As link text; models also write (1) and ¹ in links. */
const shownPattern = new RegExp(String.raw`^\s*[[(]?\s*(${numbers})\s*[\])]?\s*$`)
const labelPattern = /^\d{1,3}$/

/** Inline tokens with pills. A pill has its source as `meta`. */
export function withCitations(tokens: readonly Token[], sources: readonly CitedSource[]): readonly Token[] {
  if (sources.length === 0) return tokens
  const byNumber = new Map(sources.map((source) => [source.number, source]))
  const byAddress = new Map(sources.toReversed().map((source) => [addressKey(source.url), source]))
  const pillsFor = (group: string): readonly Token[] =>
    group.split(',').flatMap((number) => {
      const source = byNumber.get(Number(number))
      return source ? [pill(source)] : []
    })

  const cited = (token: Token): readonly Token[] => {
    const shown: Token[] = []
    let end = 0
    for (const match of token.content.matchAll(groupPattern)) {
      const pills = pillsFor(match[1] ?? '')
      if (pills.length === 0) continue
      shown.push(textToken(token.content.slice(end, match.index)), ...pills)
      end = match.index + match[0].length
    }
    return end === 0
      ? [token]
      : [...shown, textToken(token.content.slice(end))].filter(({ type, content }) => type !== 'text' || content !== '')
  }

  /** Some models add the address, sometimes at the wrong number: an address that was fetched takes precedence. */
  const linked = (link: readonly Token[]): readonly Token[] => {
    const [open] = link
    const shown = link.map(({ content }) => content).join('')
    const group = shownPattern.exec(shown.normalize('NFKC'))?.[1]
    if (!open || group === undefined) return link
    // [1][2] is also two citations if the answer ends with definitions of these numbers.
    const label: unknown = open.meta?.label
    if (typeof label === 'string' && labelPattern.test(label) && label !== shown)
      return [shown, label].flatMap((number) => cited(textToken(`[${number}]`)))
    const pills = pillsFor(group)
    if (pills.length === 0) return [textToken(shown)]
    const meant = byAddress.get(addressKey(String(open.attrGet('href'))))
    return meant ? [pill(meant)] : pills
  }

  const shown: Token[] = []
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as Token
    const end = token.type === 'link_open' ? tokens.findIndex(({ type }, at) => at > index && type === 'link_close') : -1
    if (end !== -1) {
      shown.push(...linked(tokens.slice(index, end + 1)))
      index = end
    } else shown.push(...(token.type === 'text' ? cited(token) : [token]))
  }
  // The space before a pill would allow a line break there.
  return shown.map((token, index) =>
    token.type === 'text' && shown[index + 1]?.type === 'citation' ? textToken(token.content.replace(/ $/, '\u00a0')) : token,
  )
}

const textToken = (content: string): Token => Object.assign(createToken('text', '', 0), { content })

const pill = (source: CitedSource): Token => Object.assign(createToken('citation', 'a', 0), { meta: source })

/** Normalises spellings of one page: scheme, www., fragment and trailing slash are ignored. */
function addressKey(address: string): string {
  if (!URL.canParse(address)) return address
  const { host, pathname, search } = new URL(address)
  return `${host.replace(/^www\./, '')}${pathname.replace(/\/+$/, '')}${search}`
}
