// Encrypted PDFs, found in chunks of any size.
import { expect, test } from 'vitest'
import { pdfEncryption } from '../../../worker/contract/files/pdf-encryption.ts'
import { pdf } from '../../support/sample-files.ts'

const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'))

function isEncrypted(bytes: Uint8Array, chunkBytes: number): boolean {
  const encryption = pdfEncryption()
  for (let at = 0; at < bytes.length; at += chunkBytes) encryption.add(Buffer.from(bytes.subarray(at, at + chunkBytes)).toString('latin1'))
  return encryption.isEncrypted()
}

const body = '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R>>endobj\n'
const dictionary = '4 0 obj<</Filter/Standard/V 1/R 2/O(x)/U(x)/P -4>>endobj\n'
const trailer = (entries: string) => `xref\n0 5\ntrailer<</Root 1 0 R/Size 5${entries}>>\nstartxref\n0\n%%EOF`
const xrefStream = (entries: string) =>
  `9 0 obj\n<</Type /XRef /Size 10 /Root 1 0 R ${entries} /W [1 2 1]>>\nstream\n\x01\x02\nendstream\nendobj\nstartxref\n9\n%%EOF`
const filler = '5 0 obj<</Length 9>>stream\nxxxxxxxxx\nendstream endobj\n'.repeat(3000)

test.each<[string, string]>([
  ['in the trailer', body + dictionary + trailer('/Encrypt 4 0 R/ID[(a)(a)]')],
  ['on lines of their own', `${body}${dictionary}xref\n0 5\ntrailer\n<<\n/Size 5\n/Encrypt\n4 0 R\n/Root 1 0 R\n>>\nstartxref`],
  ['as a dictionary in the trailer', body + trailer('/Encrypt<</Filter/Standard/V 5>>')],
  ['in a cross-reference stream', body + dictionary + xrefStream('/Encrypt 4 0 R')],
  ['before the type of the stream', `${body}9 0 obj<</Encrypt 4 0 R /Type/XRef /W [1 2 1]>>stream\n`],
  ['at the start of a linearized file', `${body}${trailer('/Encrypt 4 0 R')}\n${filler}${trailer('')}`],
  ['after megabytes', body + filler.repeat(8) + trailer('/Encrypt 4 0 R')],
])('an encryption dictionary %s', (_place, text) => {
  for (const chunkBytes of [1, 3, 97, 4096, 65_536, 10_000_000])
    if (text.length / chunkBytes < 60_000) expect(isEncrypted(bytesOf(text), chunkBytes)).toBe(true)
})

test.each<[string, Uint8Array]>([
  ['the sample', pdf],
  ['a file without one', bytesOf(body + filler + trailer(''))],
  [
    'words about encryption in a page',
    bytesOf(`${body}6 0 obj<</Length 40>>stream\n(/Encrypt 4 0 R) Tj\nendstream endobj\n${trailer('')}`),
  ],
  ['an attachment that is encrypted alone', bytesOf(`${body}6 0 obj<</EncryptMetadata false>>endobj\n${trailer('')}`)],
  ['an entry without a value', bytesOf(body + trailer('/Encrypt null'))],
])('is not encrypted: %s', (_kind, bytes) => {
  for (const chunkBytes of [97, 10_000_000]) expect(isEncrypted(bytes, chunkBytes)).toBe(false)
})

test('a file that repeats the entry without end counts as encrypted', () => {
  expect(isEncrypted(bytesOf('/Encrypt 4 0 R '.repeat(2000)), 65_536)).toBe(true)
  expect(isEncrypted(bytesOf('/Encrypt '.repeat(200_000)), 65_536)).toBe(false)
})
