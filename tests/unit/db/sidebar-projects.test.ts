// The projects of the first page.
import { expect, test } from 'vitest'
import { newestProjects } from '../../../worker/contract/threads/projects.ts'
import { sidebarProjects } from '../../../worker/db/first-page.ts'
import { threadRow } from '../web/build.ts'

const project = (id: string, createdAt: number) => ({ id, name: id, icon: null, color: null, createdAt, updatedAt: createdAt })
const projects = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => project(`p${n}`, n))
const idsOf = (some: readonly { readonly id: string }[]) => some.map(({ id }) => id)

test('the sidebar lists the five newest projects', () => {
  expect(idsOf(newestProjects(projects))).toEqual(['p8', 'p7', 'p6', 'p5', 'p4'])
  expect(idsOf(newestProjects([project('b', 1), project('a', 1)]))).toEqual(['a', 'b'])
})

test('the first page has those, and the projects of its threads, without their instructions', () => {
  const inProject = threadRow({ id: 'thread', userId: 'ada', projectId: 'p2' })
  const withInstructions = projects.map((one) => ({ ...one, userId: 'ada', instructions: 'Answer as a tea merchant.' }))
  expect(idsOf(sidebarProjects(withInstructions, [inProject, { ...inProject, projectId: 'deleted' }]))).toEqual([
    ...['p2', 'p4', 'p5', 'p6', 'p7', 'p8'],
  ])
  expect(sidebarProjects(withInstructions.slice(0, 1), [])).toEqual(projects.slice(0, 1))
})
