import { afterEach, expect, test, vi } from 'vitest'
import { copyText } from '../../../../web/lib/clipboard.ts'

afterEach(() => void vi.unstubAllGlobals())

/** A clipboard that, like Safari's, accepts a write only during the press. */
function stubClipboard() {
  let isPressed = true
  const texts: string[] = []
  const write = async (text: () => Promise<string>) => {
    if (!isPressed) throw new DOMException('not during a press', 'NotAllowedError')
    texts.push(await text())
  }
  vi.stubGlobal(
    'ClipboardItem',
    class {
      readonly types: Readonly<Record<string, Promise<Blob>>>
      constructor(types: Readonly<Record<string, Promise<Blob>>>) {
        this.types = types
      }
    },
  )
  vi.stubGlobal('navigator', {
    clipboard: {
      writeText: (text: string) => write(async () => text),
      write: ([item]: readonly { readonly types: Readonly<Record<string, Promise<Blob>>> }[]) =>
        write(async () => (await item?.types['text/plain'])?.text() ?? ''),
    },
  })
  const release = () => {
    isPressed = false
  }
  return { texts, release }
}

test('copies a known text', async () => {
  const { texts } = stubClipboard()
  expect(await copyText('now')).toBe(true)
  expect(texts).toEqual(['now'])
})

test('copies a text that arrives after the press', async () => {
  const { texts, release } = stubClipboard()
  const { promise, resolve } = Promise.withResolvers<string>()
  const copied = copyText(promise)
  release()
  resolve('later')
  expect(await copied).toBe(true)
  expect(texts).toEqual(['later'])
})
