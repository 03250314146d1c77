/**
 * The syntax of answers: GFM as models write it. Emphasis works next to Chinese, Japanese and Korean punctuation, only two tildes strike out,
 * addresses follow addresses.ts, and HTML is never a block.
 */
import type { Link, Parent, Root, Text } from 'mdast'
import { cjkFriendlyExtension } from 'micromark-extension-cjk-friendly'
import { gfmStrikethroughCjkFriendly } from 'micromark-extension-cjk-friendly-gfm-strikethrough'
import type { Code, Extension, State, TokenizeContext, Tokenizer } from 'micromark-util-types'
import type { Options } from 'react-markdown'
import remarkGfm from 'remark-gfm'
// Types of the data of a processor.
import type {} from 'remark-parse'
import type { Processor } from 'unified'
import { addressReader, mayBeginAddress, piecesOf, webAddress, withoutEndMarks } from '../streaming-markdown/addresses.ts'

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    literalAutolink: 'literalAutolink'
    literalAutolinkHttp: 'literalAutolinkHttp'
  }
}

type Plugins = NonNullable<Options['remarkPlugins']>

/** Reads an address up to its end, and rejects one that contains an escape: `addressLinks` reads it after the escape is resolved. */
const addressEnd =
  (onEnd: (address: string) => void): Tokenizer =>
  (effects, ok, nok) => {
    const stepTo = addressReader()
    let address = ''
    const read = (code: Code): State | undefined => {
      const char = code !== null && code > 0 ? String.fromCharCode(code) : ''
      const step = char === '' ? 'end' : stepTo(char)
      if (step === 'end') {
        if (!webAddress.test(address)) return nok(code)
        effects.exit('literalAutolink')
        onEnd(withoutEndMarks(address))
        return ok(code)
      }
      address += char
      if (step === 'escape' || !mayBeginAddress(address)) return nok(code)
      effects.consume(code)
      return read
    }
    return (code) => {
      effects.enter('literalAutolink')
      return read(code)
    }
  }

/** An address of the web in the source, so that an underscore in it is no emphasis. */
const tokenizeAddress: Tokenizer = function (effects, ok, nok) {
  let remaining = 0
  const take = (code: Code): State | undefined => {
    if (remaining === 0) {
      effects.exit('literalAutolinkHttp')
      effects.exit('literalAutolink')
      return ok(code)
    }
    remaining -= 1
    effects.consume(code)
    return take
  }
  const begin = (code: Code): State | undefined => {
    if (isInLabel(this)) return nok(code)
    effects.enter('literalAutolink')
    effects.enter('literalAutolinkHttp')
    return take(code)
  }
  const tokenize = addressEnd((address) => {
    remaining = address.length
  })
  return effects.check({ tokenize, partial: true }, begin, nok)
}

/** True in a label that may belong to a link, because links do not nest. Nothing before an earlier address can be such a label. */
function isInLabel({ events }: TokenizeContext): boolean {
  const found = events.findLast(
    ([, { type, _balanced }]) => type === 'literalAutolink' || ((type === 'labelLink' || type === 'labelImage') && !_balanced),
  )
  return found !== undefined && found[1].type !== 'literalAutolink'
}

const address = {
  name: 'address',
  tokenize: tokenizeAddress,
  previous: (code: Code): boolean => code === null || code < 0 || !/[A-Za-z\d]/.test(String.fromCharCode(code)),
}
const [capitalH, h] = [72, 104]

const extensions: readonly Extension[] = [
  { disable: { null: ['htmlFlow', 'emailAutolink', 'protocolAutolink', 'wwwAutolink'] } },
  { text: { [capitalH]: address, [h]: address } },
  cjkFriendlyExtension(),
  gfmStrikethroughCjkFriendly({ singleTilde: false }),
]

function withExtensions(this: Processor): void {
  const data = this.data()
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), ...extensions]
  // The only transform of GFM links addresses by other rules.
  data.fromMarkdownExtensions = (data.fromMarkdownExtensions ?? []).flat().map((extension) => ({ ...extension, transforms: [] }))
}

export const answerSyntax: Plugins = [[remarkGfm, { singleTilde: false }], withExtensions]

/** A remark plugin: links the addresses that the syntax left in the text. */
export const addressLinks =
  () =>
  (tree: Root): void =>
    linkAddresses(tree)

function linkAddresses(parent: Parent): void {
  parent.children = parent.children.flatMap((child): Parent['children'] => {
    if (child.type === 'text') return linked(child)
    if ('children' in child && child.type !== 'link' && child.type !== 'linkReference') linkAddresses(child)
    return [child]
  })
}

const linked = ({ value }: Text): (Link | Text)[] =>
  piecesOf(value).map((piece) =>
    typeof piece === 'string'
      ? { type: 'text', value: piece }
      : { type: 'link', url: piece.url, children: [{ type: 'text', value: piece.text }] },
  )
