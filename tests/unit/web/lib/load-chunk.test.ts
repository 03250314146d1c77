import { describe, expect, test } from 'vitest'
import { type LoadResult, loadFile, loadResultOf, type Network, OutdatedPageError } from '../../../../web/lib/load-chunk.ts'

describe('loadResultOf', () => {
  const response = (status: number, type: string) => new Response('', { status, headers: { 'content-type': type } })

  test.each([
    ['JavaScript', 200, 'text/javascript; charset=utf-8', 'loaded'],
    ['styles', 200, 'text/css', 'loaded'],
    ['HTML in place of the file', 200, 'text/html; charset=utf-8', 'removed'],
    ['a missing file', 404, 'text/plain', 'removed'],
    ['a removed file', 410, 'text/plain', 'removed'],
    ['a failing server', 503, 'text/javascript', 'retry'],
    ['a rate limit', 429, 'text/html', 'retry'],
  ] satisfies readonly (readonly [string, number, string, LoadResult])[])('%s', (_, status, type, result) => {
    expect(loadResultOf(response(status, type))).toBe(result)
  })
})

describe('loadFile', () => {
  /** Returns each result in turn and records the waits between attempts. */
  function scripted(...results: LoadResult[]): Network & { readonly waits: number[] } {
    const waits: number[] = []
    return {
      waits,
      load: async () => results.shift() ?? 'removed',
      untilReachable: async (failures) => void waits.push(failures),
    }
  }

  test('loads an available file without waiting', async () => {
    const network = scripted('loaded')
    await loadFile('/a.js', network)
    expect(network.waits).toEqual([])
  })

  test('retries an attempt that failed without a response', async () => {
    const network = scripted('retry', 'retry', 'retry', 'loaded')
    await loadFile('/a.js', network)
    expect(network.waits).toEqual([1, 2, 3])
  })

  test('rejects as outdated when the server no longer has the file', async () => {
    const network = scripted('retry', 'removed')
    await expect(loadFile('/a.js', network)).rejects.toBeInstanceOf(OutdatedPageError)
    expect(network.waits).toEqual([1])
  })
})
