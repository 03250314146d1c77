// Writes the licences of the packages in the page and in the Worker as one text file, which the page serves. Vite reports the packages whose
// JavaScript is in a build. Fonts and icons are files, so their packages are added here.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Manifest } from './budget.ts'
import { clientDir, rootDir } from './paths.ts'

/** The report of Vite's `build.license`, in the output folder of each build. */
export const reportName = '.vite/license.json'
/** The report of the service worker, which is built into the folder of the page. */
export const serviceWorkerReport = '.vite/license-sw.json'

const reportSchema = z.array(
  z.object({ name: z.string(), version: z.string(), identifier: z.string().optional(), text: z.string().optional() }),
)
type Package = z.infer<typeof reportSchema>[number]

const noticesFile = join(clientDir, 'third-party-notices.txt')

/** Packages whose text is copied into our files: the base styles, and the icons of `web/ui/maker-icons.svg`. */
const copiedPackages = ['tailwindcss', '@lobehub/icons-static-svg']

export function writeNotices(manifest: Manifest, reports: readonly string[]): void {
  const packages = [...reports.flatMap(readReport), ...[...packagesOfFiles(manifest), ...copiedPackages].map(readPackage)]
  writeFileSync(noticesFile, noticesOf(packages))
}

/** Packages of files in the build, such as fonts. */
export const packagesOfFiles = (manifest: Manifest): readonly string[] => [
  ...new Set(Object.keys(manifest).flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? [])),
]

/** Sorted, each package once. */
export function noticesOf(packages: readonly Package[]): string {
  const named = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]))
  const sections = [...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([title, one]) => `${title}\n${licenseOf(one)}\n`)
  return `Parley contains the following packages.\n\n${sections.join(`\n${'-'.repeat(80)}\n\n`)}`
}

function licenseOf({ name, identifier, text }: Package): string {
  if (identifier === undefined && text === undefined) throw new Error(`the package ${name} in the build has no licence`)
  return [identifier && `Licence: ${identifier}`, text && `\n${text}`].filter(Boolean).join('\n')
}

const readReport = (file: string): readonly Package[] => reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')))

const packageSchema = z.object({ name: z.string(), version: z.string(), license: z.string() })

function readPackage(name: string): Package {
  const dir = join(rootDir, 'node_modules', name)
  const { version, license } = packageSchema.parse(JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')))
  const file = readdirSync(dir).find((entry) => /^licen[cs]e/i.test(entry))
  return { name, version, identifier: license, ...(file && { text: readFileSync(join(dir, file), 'utf8').trim() }) }
}
