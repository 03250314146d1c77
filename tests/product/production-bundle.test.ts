/** The bundles by their source maps: a deployment contains no stand-in of development. */
import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { productionDir, rootDir, workerDir } from '../../scripts/lib/paths.ts'
import { readWranglerConfig } from '../../scripts/lib/wrangler-config.ts'

const bundles = { production: productionDir, local: workerDir }

/** The files of this repository in a bundle. */
function sourcesOf(bundle: keyof typeof bundles): string[] {
  const { sources } = JSON.parse(readFileSync(join(bundles[bundle], 'index.js.map'), 'utf8')) as { sources: string[] }
  return sources.map((source) => relative(rootDir, resolve(bundles[bundle], source))).filter((path) => path.startsWith('worker/'))
}

const isDevelopment = (path: string) => path.startsWith('worker/dev/') || path === 'worker/index.dev.ts'

test('the deployed bundle contains the product and nothing of worker/dev/', () => {
  const sources = sourcesOf('production')
  expect(sources).toEqual(expect.arrayContaining(['worker/index.ts', 'worker/app.ts', 'worker/chat/generation-object.ts']))
  expect(sources.filter(isDevelopment)).toEqual([])
})

test('the local bundle contains the stand-ins', () => {
  expect(sourcesOf('local')).toEqual(
    expect.arrayContaining([
      'worker/index.dev.ts',
      'worker/dev/demo-model.ts',
      'worker/dev/stand-in-search.ts',
      'worker/dev/payments/api.ts',
    ]),
  )
})

test('wrangler.jsonc names the production entry', () => {
  expect(readWranglerConfig(join(rootDir, 'wrangler.jsonc')).main).toBe('worker/index.ts')
})

test('models and mail of Cloudflare are bound in a deployment only, and images also in local runs', () => {
  const bindingsOf = (bundle: keyof typeof bundles) => {
    const { ai, send_email, images } = JSON.parse(readFileSync(join(bundles[bundle], 'wrangler.json'), 'utf8')) as Record<string, unknown>
    return { ai, send_email, images }
  }
  const images = { binding: 'IMAGES' }
  expect(bindingsOf('production')).toEqual({ ai: { binding: 'AI' }, send_email: [{ name: 'EMAIL' }], images })
  expect(bindingsOf('local')).toEqual({ images })
})
