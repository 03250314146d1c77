/** A project groups threads and adds its instructions and files to their prompts. */
import { boolean, json, number, string, table } from '@rocicorp/zero'
import type { AttachedFile } from '../files/files.ts'

/** Names of symbols in `web/public/icons/projects.svg`. */
export const projectIcons = [
  'folder',
  'book',
  'briefcase',
  'code',
  'flask',
  'globe',
  'graduation-cap',
  'heart',
  'lightbulb',
  'music',
  'palette',
  'plane',
] as const
export type ProjectIcon = (typeof projectIcons)[number]

/** Each is a `[data-hue]` of the styles. */
export const projectColors = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink'] as const
export type ProjectColor = (typeof projectColors)[number]

/** Chosen: the sidebar has room for a few. */
const sidebarProjects = 5

/** The projects that the sidebar lists. */
export const newestProjects = <T extends { readonly id: string; readonly createdAt: number }>(projects: readonly T[]): readonly T[] =>
  projects.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1)).slice(0, sidebarProjects)

export const project = table('project')
  .columns({
    id: string(),
    userId: string(),
    name: string(),
    icon: string<ProjectIcon>().optional(),
    color: string<ProjectColor>().optional(),
    /** Added to the prompt of every turn in its threads. */
    instructions: string().optional(),
    /** The model that a new thread starts with. Null: the user's. */
    modelId: string().optional(),
    /** Ids of the sources of tools whose switch was moved (`isSourceOn`), unless a thread has its own choice. */
    offTools: json<readonly string[]>().optional(),
    /** They enter the prompts of its threads. */
    files: json<readonly AttachedFile[]>().optional(),
    /** Memory is off in its threads. */
    isMemoryOff: boolean().optional(),
    createdAt: number(),
    updatedAt: number(),
    deletedAt: number().optional(),
  })
  .primaryKey('id')
