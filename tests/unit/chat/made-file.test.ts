// Generated files: the accepted types and addresses.
import { describe, expect, onTestFinished, test } from 'vitest'
import { failureOf } from '../../../worker/chat/model/failures.ts'
import { bytesOf, foundType, type MadeBytes, madeFileOf, namedType } from '../../../worker/chat/model/made-files.ts'
import { connectModel } from '../../../worker/chat/model/providers.ts'
import { madeFileName, maxMadeFileBytes } from '../../../worker/contract/files/made-files.ts'
import { answerTo, searchTools } from '../../support/model-run.ts'
import { startGatewayPeer } from '../../support/peers/gateway.ts'
import type { Behaviour } from '../../support/peers/peer-server.ts'
import { none } from '../../support/peers/provider-connections.ts'
import { pdf, pngOf } from '../../support/sample-files.ts'

const part = (mediaType: unknown, data: unknown) => ({ type: 'file', mediaType, data })
const inline = (mediaType: string, bytes: Uint8Array | string) =>
  madeFileOf(part(mediaType, { type: 'data', data: Buffer.from(bytes).toString('base64') })) as MadeBytes
const failureFrom = (act: () => unknown) => {
  try {
    act()
  } catch (error) {
    return failureOf(error)
  }
  throw new Error('nothing went wrong')
}
async function modelSaying(script: readonly Behaviour[]) {
  const peer = await startGatewayPeer(script)
  onTestFinished(() => peer.stop())
  const row = { provider: 'gateway', model: 'moonshotai/kimi-k2', name: 'Kimi K2' }
  const connected = connectModel({ ...none, gateway: { apiKey: 'key', url: peer.url } }, row)
  if (!connected) throw new Error('a configured model is connected')
  return connected
}
const wholeOf = (made: MadeBytes) => Buffer.concat([...bytesOf(made)])

test('bytes are equal in every encoding, and their number is known in advance', () => {
  for (const length of [1, 2, 3, 4, 100_000]) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 7) % 256)
    const base64 = Buffer.from(bytes).toString('base64')
    const lines = base64.replace(/.{1,76}/g, '$&\r\n')
    const forUrls = base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
    for (const data of [bytes, base64, lines, forUrls]) {
      const made = madeFileOf(part('image/png', { type: 'data', data })) as MadeBytes
      expect([made.sizeBytes, wholeOf(made).equals(bytes)]).toEqual([length, true])
    }
    const address = `DATA:image/PNG;charset=x;base64,${base64}`
    expect(madeFileOf(part('text/plain', { type: 'url', url: address }))).toMatchObject({ mediaType: 'image/png', sizeBytes: length })
  }
})

describe('the type is detected from the bytes', () => {
  const utf8Cut = Uint8Array.of(...new TextEncoder().encode('a'.repeat(60_000)), 0xe4)
  test.each<[declared: string, bytes: Uint8Array | string, found: string, name: string]>([
    ['image/png', pngOf(2, 2), 'image/png', 'Picture 1.png'],
    ['text/html', pngOf(2, 2), 'image/png', 'Picture 1.png'],
    ['application/pdf', pdf, 'application/pdf', 'File 1.pdf'],
    ['image/png', '<script>alert(1)</script>', 'text/plain', 'File 1.txt'],
    ['text/html', '<script>alert(1)</script>', 'text/plain', 'File 1.html'],
    ['IMAGE/SVG+XML', '<svg onload="alert(1)"/>', 'text/plain', 'File 1.svg'],
    ['image/png;x="\r\nset-cookie: a', 'words', 'text/plain', 'File 1.txt'],
    ['../../etc/passwd', 'words', 'text/plain', 'File 1.bin'],
    ['audio/mpeg', Uint8Array.of(0xff, 0xfb, 0, 0), 'application/octet-stream', 'File 1.mp3'],
    ['image/png', Uint8Array.of(0, 1, 2), 'application/octet-stream', 'File 1.bin'],
    ['text/plain', utf8Cut, 'application/octet-stream', 'File 1.bin'],
  ])('declared as %s', (declared, bytes, found, name) => {
    const made = inline(declared, bytes)
    const type = foundType(made)
    expect([type, madeFileName(namedType(type, made), 1)]).toEqual([found, name])
  })
})

test('an empty file is dropped', () => {
  for (const data of ['', '====', new Uint8Array()]) expect(madeFileOf(part('image/png', { type: 'data', data }))).toBeNull()
})

test('for a file stored by the provider, only an address that a page may open is kept', () => {
  const urlOf = (url: unknown) => madeFileOf(part('image/png', { type: 'url', url }))
  expect(urlOf(new URL('https://files.example/a.png'))).toMatchObject({ kind: 'elsewhere', url: 'https://files.example/a.png' })
  expect(urlOf('HTTPS://files.example/a.png')).toMatchObject({ kind: 'elsewhere', url: 'HTTPS://files.example/a.png' })
  for (const url of [
    'javascript:alert(1)',
    '/api/files/somebodys-file',
    'http://files.example/',
    'data:text/html,<b>',
    'x'.repeat(9000),
    '',
  ])
    expect(urlOf(url), url).toMatchObject({ kind: 'elsewhere', url: '' })
})

test('an invalid file is an unreadable response', () => {
  for (const wrong of [
    part('image/png', undefined),
    part(7, { type: 'data', data: 'AAAA' }),
    part('image/png', { type: 'data', data: 'not base64!' }),
    part('image/png', { type: 'data', data: 'AAAAA' }),
    part('image/png', { type: 'url', url: null }),
    part('image/png', 'AAAA'),
    null,
  ]) {
    expect(failureFrom(() => madeFileOf(wrong)).code).toBe('model_nonsense')
  }
})

test.each([
  ['with tools, by way of the SDK', searchTools('Draw')],
  ['without', null],
])('a picture that browsers cannot open is named, and is no answer: %s', async (_way, tools) => {
  const parts = [part('image/png', { type: 'url', url: 'http://files.example/a.png' })]
  const { model } = await modelSaying([
    { kind: 'answer', words: [], parts },
    { kind: 'answer', words: ['Here it is.'], parts },
  ])
  const alone = await answerTo('Draw', { model, tools })
  expect(alone.outcome).toMatchObject({ ending: 'failed', failure: { code: 'model_empty' } })
  expect(alone.parts).toMatchObject([{ type: 'step-start' }, { type: 'file', url: '' }])
  const answer = await answerTo('Draw', { model, tools })
  expect(answer.outcome).toEqual({ ending: 'completed' })
  expect(answer.parts).toMatchObject([{ type: 'step-start' }, { type: 'text', text: 'Here it is.' }, { type: 'file', url: '' }])
})

test.each([
  ['with tools, by way of the SDK', searchTools('Draw')],
  ['without', null],
])('a picture of 8 MB arrives completely, after the preceding text: %s', async (_way, tools) => {
  const data = 'A'.repeat(4 * Math.floor(maxMadeFileBytes / 3))
  const parts = [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data } }]
  const connected = await modelSaying([
    { kind: 'answer', words: ['Here it is.'], parts },
    { kind: 'answer', words: [], parts },
  ])
  for (const words of [['text'], []]) {
    const answer = await answerTo('Draw', { model: connected.model, tools })
    expect(answer.outcome).toEqual({ ending: 'completed' })
    const [step, ...made] = answer.parts.map((part) => ('url' in part ? part.url.length : part.type))
    expect([step, made]).toEqual(['step-start', [...words, data.length + 'data:image/png;base64,'.length]])
  }
})
