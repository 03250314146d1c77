import { expect, test } from 'vitest'
import { utf8Bytes } from '../../../worker/lib/utf8.ts'
import { createRng } from '../../support/rng.ts'

test('the byte length equals the encoder’s, also with half surrogate pairs', () => {
  const encoder = new TextEncoder()
  const letters = ['a', '\u007f', '\u0080', 'é', '\u07ff', '\u0800', '字', '\uffff', '🎈', '\ud83c', '\udf88', '']
  const rng = createRng(7)
  for (let run = 0; run < 2000; run++) {
    const text = Array.from({ length: rng.below(12) }, () => rng.pick(letters)).join('')
    expect([JSON.stringify(text), utf8Bytes(text)]).toEqual([JSON.stringify(text), encoder.encode(text).byteLength])
  }
})
