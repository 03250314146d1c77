// Route discovery options for the build, the dev server and `npm run generate`.
import { join } from 'node:path'
import { cacheDir, rootDir } from './paths.ts'

export const routeTreeFile = join(rootDir, 'web', 'routeTree.gen.ts')

export const routerOptions = {
  target: 'react',
  autoCodeSplitting: true,
  routesDirectory: join(rootDir, 'web', 'routes'),
  generatedRouteTree: routeTreeFile,
  quoteStyle: 'single',
  semicolons: false,
  disableLogging: true,
  tmpDir: join(cacheDir, 'tanstack'),
} as const
