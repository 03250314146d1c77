/** `&eacute;` and `&#233;` as the letter they mean. The names are those of HTML 4; what has another, its page will have written itself. */

/** In the order of their codes. */
const latin1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
const greek =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega'

const inOrder = (names: string, firstCode: number): [string, string][] =>
  names.split(' ').map((name, index) => [name, String.fromCharCode(firstCode + index)])

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

// biome-ignore format: a table is read by its rows
const others = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", AMP: '&', LT: '<', GT: '>', QUOT: '"', COPY: '©', REG: '®',
  OElig: 'Œ', oelig: 'œ', Scaron: 'Š', scaron: 'š', Yuml: 'Ÿ', fnof: 'ƒ', circ: 'ˆ', tilde: '˜',
  ensp: ' ', emsp: ' ', thinsp: ' ', zwnj: '', zwj: '', lrm: '', rlm: '',
  ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“', rdquo: '”', bdquo: '„', lsaquo: '‹', rsaquo: '›',
  dagger: '†', Dagger: '‡', bull: '•', hellip: '…', permil: '‰', prime: '′', Prime: '″', oline: '‾', frasl: '⁄',
  euro: '€', image: 'ℑ', weierp: '℘', real: 'ℜ', trade: '™', alefsym: 'ℵ', thetasym: 'ϑ', upsih: 'ϒ', piv: 'ϖ',
  larr: '←', uarr: '↑', rarr: '→', darr: '↓', harr: '↔', crarr: '↵', lArr: '⇐', uArr: '⇑', rArr: '⇒', dArr: '⇓', hArr: '⇔',
  forall: '∀', part: '∂', exist: '∃', empty: '∅', nabla: '∇', isin: '∈', notin: '∉', ni: '∋', prod: '∏', sum: '∑', minus: '−',
  lowast: '∗', radic: '√', prop: '∝', infin: '∞', ang: '∠', and: '∧', or: '∨', cap: '∩', cup: '∪', int: '∫', there4: '∴', sim: '∼',
  cong: '≅', asymp: '≈', ne: '≠', equiv: '≡', le: '≤', ge: '≥', sub: '⊂', sup: '⊃', nsub: '⊄', sube: '⊆', supe: '⊇', oplus: '⊕',
  otimes: '⊗', perp: '⊥', sdot: '⋅', lceil: '⌈', rceil: '⌉', lfloor: '⌊', rfloor: '⌋', lang: '⟨', rang: '⟩', loz: '◊',
  spades: '♠', clubs: '♣', hearts: '♥', diams: '♦',
} as const

const small = inOrder(greek, 0x3b1)
const letters: ReadonlyMap<string, string> = new Map([
  ...inOrder(latin1, 0xa0),
  ...small,
  ...small.flatMap(([name, letter]): [string, string][] => (name === 'sigmaf' ? [] : [[capital(name), letter.toUpperCase()]])),
  ...Object.entries(others),
])

export const withLetters = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,7}));/gi, (whole, decimal?: string, hex?: string, name?: string) =>
    name === undefined ? letterOf(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)) : (letters.get(name) ?? whole),
  )

/** By the HTML standard: the numbers of control characters mean what windows-1252 has there, and what is no letter is a sign that says so. */
function letterOf(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return windows1252.decode(Uint8Array.of(code))
  const isLetter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isLetter ? String.fromCodePoint(code) : '\ufffd'
}

const windows1252 = new TextDecoder('windows-1252')
