import { createFileRoute } from '@tanstack/react-router'
import { BookmarksPage } from '../../../features/shell/library/bookmarks-page.tsx'

export const Route = createFileRoute('/_live/_app/bookmarks')({ component: BookmarksPage })
