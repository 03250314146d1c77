// The Images binding, replaced by one that converts, refuses, sends too much or does not answer.
import { afterEach, expect, test, vi } from 'vitest'
import { convertedImage } from '../../../worker/lib/images.ts'

afterEach(() => vi.useRealTimers())

const target = { type: 'image/jpeg', maxEdgePixels: 100, maxBytes: 8 } as const
const input = () => new Blob(['an image']).stream()

/** The binding: a chain of calls that ends with `output`. `asked`: the arguments of each. */
function images(output: () => Promise<{ image: () => ReadableStream }>) {
  const asked: unknown[] = []
  const transformer = {
    transform: (size: unknown) => {
      asked.push(size)
      return transformer
    },
    output: (format: unknown) => {
      asked.push(format)
      return output()
    },
  }
  return { binding: { input: () => transformer } as unknown as ImagesBinding, asked }
}
const answering = (text: string) => images(async () => ({ image: () => new Blob([text]).stream() }))

test('scales an image down into the format', async () => {
  const { binding, asked } = answering('jpeg')
  expect(new TextDecoder().decode((await convertedImage(binding, input(), target)) ?? undefined)).toBe('jpeg')
  expect(asked).toEqual([
    { width: 100, height: 100, fit: 'scale-down' },
    { format: 'image/jpeg', quality: 90 },
  ])
})

test('an image that Images refuses, and a result that is too large, are null', async () => {
  const refusing = images(() => Promise.reject(Object.assign(new Error('ImagesError: 9412'), { code: 9412 })))
  expect(await convertedImage(refusing.binding, input(), target)).toBeNull()
  expect(await convertedImage(answering('more than 8 bytes').binding, input(), target)).toBeNull()
})

test('a binding that does not answer is null after the time limit', async () => {
  vi.useFakeTimers()
  const converting = convertedImage(images(() => new Promise(() => {})).binding, input(), target)
  await vi.advanceTimersByTimeAsync(15_000)
  expect(await converting).toBeNull()
})
