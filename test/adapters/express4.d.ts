/** The version before, under an alias; its types are those of the present one. */
declare module 'express4' {
  import express from 'express'
  export default express
}
