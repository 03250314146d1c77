// The addresses of the app and of the server.
import { createRouter } from '@tanstack/react-router'
import { expect, test } from 'vitest'
import { routeTree } from '../../../web/routes/route-tree.tsx'
import { pageRoutes } from '../../../worker/page/page-settings.ts'

test('the server knows exactly the routes of the app', () => {
  const { routesByPath } = createRouter({ routeTree })
  const routes = Object.keys(routesByPath).map((path) => path.replace(/(?<=.)\/$/, ''))
  expect([...new Set(routes)].sort()).toEqual(pageRoutes.toSorted())
})
