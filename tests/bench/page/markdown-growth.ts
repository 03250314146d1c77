/** U3: an answer grows by 20 characters in Chromium, with its layout. The floor is an update of an answer of 1 KB. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import { build } from 'vite'
import type { Benchmark } from '../../../scripts/lib/benchmark.ts'
import { rootDir } from '../../../scripts/lib/paths.ts'
import { reactPlugins } from '../../../scripts/lib/react-plugins.ts'
import { launchBrowser } from '../../support/browser.ts'
import { median } from '../sample.ts'
import { type GrowingText, growingAnswer, growingList } from './texts.ts'

type Case = { readonly kind: string; readonly sizeKb: number; readonly textOf: (chars: number) => GrowingText }

const casesOf = (kind: string, textOf: Case['textOf']): readonly Case[] => [1, 10, 50, 100, 200].map((sizeKb) => ({ kind, sizeKb, textOf }))

const cases: readonly Case[] = [
  ...casesOf('of all kinds', growingAnswer),
  ...casesOf('of one list', (chars) => growingList(chars, '\n')),
  ...casesOf('of one loose list', (chars) => growingList(chars, '\n\n')),
]

const stepChars = 20
/** All cases in turn, because the machine's speed changes during a run. */
const rounds = 3

const html = '<!doctype html><link rel="stylesheet" href="/page.css"><body><script type="module" src="/page.js"></script>'

/** Builds the page with the plugins of the product, without its routes and its Worker. */
const buildPage = (outDir: string) =>
  build({
    configFile: false,
    logLevel: 'error',
    root: rootDir,
    plugins: [...reactPlugins(), tailwindcss()],
    build: {
      outDir,
      target: 'es2024',
      cssCodeSplit: false,
      rolldownOptions: {
        input: join(rootDir, 'tests/bench/page/markdown-page.tsx'),
        output: {
          entryFileNames: 'page.js',
          assetFileNames: ({ names }) => (names[0]?.endsWith('.css') ? 'page.css' : 'assets/[name][extname]'),
        },
      },
    },
  })

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'U3',
    name: `an answer grows by ${stepChars} characters (p50)`,
    unit: 'ms',
    run: async ({ atEnd }) => {
      const outDir = mkdtempSync(join(tmpdir(), 'parley-bench-page-'))
      atEnd(async () => rmSync(outDir, { recursive: true, force: true }))
      await buildPage(outDir)
      const browser = await launchBrowser()
      try {
        const page = await browser.newPage()
        await page.route('http://bench.local/**', async (route) => {
          const { pathname } = new URL(route.request().url())
          if (pathname === '/') await route.fulfill({ contentType: 'text/html', body: html })
          else await route.fulfill({ path: join(outDir, pathname) })
        })
        await page.goto('http://bench.local/')
        await page.waitForFunction(() => 'grow' in window)
        const times = cases.map((): number[] => [])
        for (let round = 0; round < rounds; round += 1) {
          for (const [index, { sizeKb, textOf }] of cases.entries()) {
            const { before, added } = textOf(sizeKb * 1000)
            times[index]?.push(
              ...(await page.evaluate((it) => window.grow(it.before, it.added, it.stepChars), { before, added, stepChars })),
            )
          }
        }
        const medians = times.map(median)
        const floor = medians[0] ?? null
        return medians.map((value, index) => ({
          at: `${cases[index]?.sizeKb} KB ${cases[index]?.kind}`,
          value,
          floor: index === 0 ? null : floor,
          mustHold: { most: 1 },
        }))
      } finally {
        await browser.close()
      }
    },
  },
]
