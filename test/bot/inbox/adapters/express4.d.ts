/** Express 4 under an alias; it borrows the types of the present version. */
declare module 'express4' {
  import express from 'express'
  export default express
}
