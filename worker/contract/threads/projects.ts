/** A project groups threads and adds its instructions and files to their prompts. */
import { json, number, string, table } from '@rocicorp/zero'
import type { AttachedFile } from '../files/files.ts'

/** Names of Lucide icons. */
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

/** The theme defines a color for each. */
export const projectColors = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink'] as const
export type ProjectColor = (typeof projectColors)[number]

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
    /** They enter the prompts of its threads. */
    files: json<readonly AttachedFile[]>().optional(),
    createdAt: number(),
    updatedAt: number(),
    deletedAt: number().optional(),
  })
  .primaryKey('id')
