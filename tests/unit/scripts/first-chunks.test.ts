// The build's chunk for a module of the first visit.
import { expect, test } from 'vitest'
import { firstChunks } from '../../../scripts/lib/first-chunks.ts'

const web = '/home/parley/web'
const imports: { readonly [id: string]: readonly string[] } = {
  [`${web}/main.ts`]: [`${web}/first-paint.ts`, `${web}/load-chunk.ts`],
  [`${web}/app.tsx`]: [`${web}/first-paint.ts`, `${web}/ui/button.tsx`, '/home/node_modules/router/index.js'],
  [`${web}/chat.tsx?part`]: [`${web}/composer.tsx`, `${web}/ui/field.tsx`, '/home/node_modules/lucide-react/index.js'],
  [`${web}/composer.tsx`]: ['/home/node_modules/sync/client.js', `${web}/ui/button.tsx`],
  [`${web}/login.tsx?part`]: [`${web}/ui/field.tsx`, `${web}/login-form.tsx`, `${web}/check.ts`],
  [`${web}/thread.tsx`]: [`${web}/message.tsx`, `${web}/composer.tsx`, `${web}/check.ts`, '/home/node_modules/markdown/index.js'],
  '/home/node_modules/lucide-react/index.js': ['/home/node_modules/lucide-react/icons/rare.js'],
}
const graph = { getModuleInfo: (id: string) => ({ importedIds: imports[id] ?? [] }) }
const groups = firstChunks(web, {
  entry: 'main.ts',
  app: 'app.tsx',
  first: ['chat.tsx?part'],
  lean: ['login.tsx?part'],
  thread: ['thread.tsx'],
  loader: `${web}/load-chunk.ts`,
})

/** As the bundler decides: the matching group with the highest priority. */
const chunkOf = (id: string) =>
  [...groups].sort((a, b) => b.priority - a.priority).reduce<string | null>((found, group) => found ?? group.name(id, graph), null)

test.each([
  ['what the entry needs to load the app', `${web}/first-paint.ts`, 'start'],
  ['the module that loads chunks', `${web}/load-chunk.ts`, 'start'],
  ['what the app imports, for every page', `${web}/ui/button.tsx`, 'page'],
  ['packages of the app, likewise', '/home/node_modules/router/index.js', 'base'],
  ['what the first visit shares with a lean page, too', `${web}/ui/field.tsx`, 'page'],
  ['the rest of the first visit', `${web}/composer.tsx`, 'chat'],
  ['packages that only it needs', '/home/node_modules/sync/client.js', 'sync'],
  ['our modules that only a thread adds', `${web}/message.tsx`, 'thread'],
  ['packages that only a thread needs are left alone', '/home/node_modules/markdown/index.js', null],
  ['what only a lean page needs is left alone', `${web}/login-form.tsx`, null],
  ['what a lean page shares only with a thread, too', `${web}/check.ts`, null],
  ['entries have files of their own', `${web}/chat.tsx?part`, null],
  ['icons that the first visit does not use', '/home/node_modules/lucide-react/icons/rare.js', 'icons'],
  ['the headless library', '/home/node_modules/@ariakit/react-core/menu.js', 'ariakit'],
])('%s', (_, id, chunk) => {
  expect(chunkOf(id)).toBe(chunk)
})
