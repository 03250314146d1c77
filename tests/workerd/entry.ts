// The Worker under test: the real one, with objects whose D1 can fail on request.
export { default } from '../../worker/index.dev.ts'
export { TodoSync } from '../support/todo-app/todo-sync.ts'
export { FaultyGeneration as Generation } from './faulty-generation.ts'
export { WatchedUserSync as UserSync } from './watched-user-sync.ts'
